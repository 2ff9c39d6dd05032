import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Secret } from '#kernel/secret.ts'

// Whoever says when it is over: a test, or a whole file.
type Lasting = { after(work: () => void): void }

// The commands that it can be rude to, and '.', the last word of a letter.
type Command = 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | '.'
type Saying = string | ((socket: Socket) => void)
type Rudeness = Partial<Record<Command, Saying>>

const polite = { EHLO: '250 rude.example', DATA: '354 Go on' }

// A mail server that says what no library would let it say. Answers how many letters it was handed whole.
export async function openRudeMailServer(t: Lasting, rudeness: Rudeness) {
  const letters: string[] = []
  const sayings = new Map<string, Saying>(Object.entries({ ...polite, ...rudeness }))
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let unread = ''
    let isLetter = false
    const answer = (command: string): void => {
      const said = sayings.get(command) ?? '250 OK'
      isLetter = command === 'DATA' && typeof said === 'string'
      if (typeof said === 'string') socket.write(`${said}\r\n`)
      else said(socket)
    }
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      unread += chunk
      const [end, command] = isLetter ? ['\r\n.\r\n', '.'] : ['\r\n', unread.slice(0, 4).toUpperCase()]
      const at = unread.indexOf(end)
      if (at < 0) return
      if (isLetter) letters.push(unread.slice(0, at))
      unread = unread.slice(at + end.length)
      answer(command)
    })
    socket.write('220 rude.example\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  assert(typeof address === 'object' && address)
  return { letters, url: new Secret(`smtp://127.0.0.1:${address.port}`) }
}

// Says something that is never the end of an answer, again and again.
export function dribble(socket: Socket): void {
  const timer = setInterval(() => socket.write('250-still here\r\n'), 20)
  socket.once('close', () => clearInterval(timer))
}
