// What a phone answers to our texts, and what it is told then.
export type Word = 'stop' | 'start' | 'help'

const spellings: Readonly<Record<Word, readonly string[]>> = {
  stop: [
    'STOP',
    'STOPALL',
    'STOP ALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'OPT OUT',
  ],
  start: ['START', 'UNSTOP', 'YES'],
  help: ['HELP', 'INFO'],
}

// The whole text has to be the word: "please do not stop" is none.
export function readWord(text: string): Word | null {
  const plain = text
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  const words: readonly Word[] = ['stop', 'start', 'help']
  return words.find((word) => spellings[word].includes(plain)) ?? null
}

type From = { readonly name: string; readonly phone: string }

export function answerTo(word: Word, { name, phone }: From): string {
  switch (word) {
    case 'stop':
      return `${name}: you will get no more texts from this number. Reply START to get them again.`
    case 'start':
      return `${name}: you will get texts from this number again. Reply STOP to end them.`
    case 'help': {
      const call = phone === '' ? '' : ` Questions? Call ${phone}.`
      return `${name}: this number sends payment links that you asked for.${call} Reply STOP to end them.`
    }
  }
}
