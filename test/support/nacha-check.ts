// A second opinion about a file for the ACH network, by plain columns: it shares nothing with the code that
// writes such files. Answers what is wrong, nothing when all is right.
export function faultsOfNacha(text: string): readonly string[] {
  const lines = text.split('\n')
  const faults: string[] = []
  const expect = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault))
  expect(lines.pop() === '', 'the last line does not end')
  lines.forEach((line, at) => expect(/^[\x20-\x7e]{94}$/.test(line), `line ${at + 1} has no 94 characters`))
  expect(lines.length % 10 === 0, 'the last block is not full')
  const end = lines.findIndex((line) => line.startsWith('9'))
  expect(lines[0]?.startsWith('101 ') ?? false, 'there is no file header')
  expect(lines[0]?.slice(34, 40) === '094101', 'the file header has other sizes')
  expect(
    lines.slice(end + 1).every((line) => /^9{94}$/.test(line)),
    'something else than nines is padding',
  )
  const sum = { batches: 0, entries: 0, hash: 0n, debits: 0n, credits: 0n }
  let batch = { entries: 0, hash: 0n, debits: 0n, credits: 0n, head: '' }
  let trace = ''
  for (const line of lines.slice(1, end)) {
    const kind = line.charAt(0)
    if (kind === '5') {
      batch = { entries: 0, hash: 0n, debits: 0n, credits: 0n, head: line }
      trace = ''
    }
    if (kind === '6' || kind === '7') batch.entries += 1
    if (kind === '6') {
      batch.hash += BigInt(line.substring(3, 11))
      const cents = BigInt(line.substring(29, 39))
      if ('56789'.includes(line.charAt(2))) batch.debits += cents
      else batch.credits += cents
      expect(line.substring(79, 94) > trace, 'a trace number does not rise')
      trace = line.substring(79, 94)
    }
    if (kind === '8') {
      expect(Number(line.substring(4, 10)) === batch.entries, 'a batch counts other entries')
      expect(BigInt(line.substring(10, 20)) === batch.hash % 10_000_000_000n, 'a batch has another hash')
      expect(BigInt(line.substring(20, 32)) === batch.debits, 'a batch has other debits')
      expect(BigInt(line.substring(32, 44)) === batch.credits, 'a batch has other credits')
      expect(line.substring(79, 94) === batch.head.substring(79, 94), 'a batch closes under another number')
      expect(line.substring(1, 4) === batch.head.substring(1, 4), 'a batch closes with another service class')
      sum.batches += 1
      sum.entries += batch.entries
      sum.hash += batch.hash
      sum.debits += batch.debits
      sum.credits += batch.credits
    }
  }
  const control = lines[end] ?? ''
  expect(Number(control.substring(1, 7)) === sum.batches, 'the file counts other batches')
  expect(Number(control.substring(7, 13)) * 10 === lines.length, 'the file counts other blocks')
  expect(Number(control.substring(13, 21)) === sum.entries, 'the file counts other entries')
  expect(
    control.substring(21, 31) === String(sum.hash % 10_000_000_000n).padStart(10, '0'),
    'another file hash',
  )
  expect(BigInt(control.substring(31, 43) || '0') === sum.debits, 'the file has other debits')
  expect(BigInt(control.substring(43, 55) || '0') === sum.credits, 'the file has other credits')
  return faults
}
