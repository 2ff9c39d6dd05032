import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'

// A picture of one colour, as a merchant's server would have it.
export function pngOf(width: number, height: number): Buffer {
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([200, 60, 30]))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const lines = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  const parts = [chunk('IHDR', header), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

// A frame header is all that is read of it.
export function jpegOf(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const comment = Buffer.from([0xff, 0xfe, 0, 4, 0x68, 0x69])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame, Buffer.from([0xff, 0xd9])])
}

export function webpOf(width: number, height: number): Buffer {
  const file = Buffer.alloc(30)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(22, 4)
  file.write('WEBPVP8X', 8, 'latin1')
  file.writeUInt32LE(10, 16)
  file.writeUIntLE(width - 1, 24, 3)
  file.writeUIntLE(height - 1, 27, 3)
  return file
}

export function iconOf(width: number, height: number): Buffer {
  const file = Buffer.alloc(40)
  file.set([0, 0, 1, 0, 1, 0, width, height])
  return file
}

export type PictureServer = { readonly baseUrl: string; readonly asked: string[] }

// Serves each file under its name; what is not there leads to a page elsewhere.
export async function pictureServer(
  t: TestContext,
  files: Readonly<Record<string, Buffer>>,
): Promise<PictureServer> {
  const asked: string[] = []
  const server = createServer((request, answer) => {
    asked.push(String(request.url))
    const file = files[String(request.url)]
    if (file) answer.writeHead(200, { 'content-type': 'image/png' }).end(file)
    else answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.after(() => server.close())
  const place = server.address()
  assert(typeof place === 'object' && place !== null, 'it listens on a port')
  return { baseUrl: `http://127.0.0.1:${place.port}`, asked }
}
