// What a file is by its first bytes, whatever its name or its server says, and how large its picture is.

export type PictureKind = 'logo' | 'favicon'

export type PictureFile = {
  readonly ending: 'png' | 'jpg' | 'webp' | 'ico'
  readonly width: number
  readonly height: number
}

// As it is kept for a merchant record.
export type FormPicture = Omit<PictureFile, 'ending'> & { readonly kind: PictureKind; readonly name: string }

// Of a merchant record; null where it has none.
export type FormPictures = { readonly logo: FormPicture | null; readonly favicon: FormPicture | null }

export const noPictures: FormPictures = { logo: null, favicon: null }

export const picturesPath = '/PayForm/pictures/'

const sideMax = 4_096

export const pictureBytesMax = 64 * 1_024

// A sentence of what is wrong with it instead of the picture.
export function readPicture(content: Buffer, kind: PictureKind): PictureFile | string {
  if (content.length > pictureBytesMax) return `has more than ${pictureBytesMax / 1_024} KiB`
  const found =
    pngOf(content) ?? jpegOf(content) ?? webpOf(content) ?? (kind === 'favicon' ? iconOf(content) : null)
  if (!found)
    return isMarkup(content)
      ? `is SVG or a page; ${wanted[kind]}`
      : `is cut, or another kind of file; ${wanted[kind]}`
  const { width, height } = found
  const isSeen = width > 0 && height > 0 && Math.max(width, height) <= sideMax
  return isSeen ? found : `has ${width} x ${height} pixels; at most ${sideMax} a side are taken`
}

const wanted: Readonly<Record<PictureKind, string>> = {
  logo: 'PNG, JPEG and WebP are taken',
  favicon: 'PNG, JPEG, WebP and ICO are taken',
}

// SVG can carry script.
function isMarkup(content: Buffer): boolean {
  return content
    .subarray(0, 64)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith('<')
}

function hasAt(content: Buffer, at: number, text: string): boolean {
  return content.subarray(at, at + text.length).toString('latin1') === text
}

function pngOf(content: Buffer): PictureFile | null {
  const isWhole =
    content.length > 45 &&
    hasAt(content, 0, '\x89PNG\r\n\x1a\n') &&
    hasAt(content, 12, 'IHDR') &&
    hasAt(content, content.length - 8, 'IEND')
  return isWhole ? { ending: 'png', width: content.readUInt32BE(16), height: content.readUInt32BE(20) } : null
}

// Segment by segment to the one that begins a frame.
function jpegOf(content: Buffer): PictureFile | null {
  const isWhole = hasAt(content, 0, '\xff\xd8\xff') && hasAt(content, content.length - 2, '\xff\xd9')
  if (!isWhole) return null
  let at = 2
  while (at + 9 < content.length && content[at] === 0xff) {
    const marker = content[at + 1] ?? 0
    if (isFrame(marker))
      return { ending: 'jpg', width: content.readUInt16BE(at + 7), height: content.readUInt16BE(at + 5) }
    at += 2 + content.readUInt16BE(at + 2)
  }
  return null
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

const webpOfSize = (width: number, height: number): PictureFile => ({ ending: 'webp', width, height })

function webpOf(content: Buffer): PictureFile | null {
  const isWhole =
    content.length >= 30 &&
    hasAt(content, 0, 'RIFF') &&
    hasAt(content, 8, 'WEBP') &&
    content.readUInt32LE(4) <= content.length - 8
  if (!isWhole) return null
  switch (content.subarray(12, 16).toString('latin1')) {
    case 'VP8 ':
      return webpOfSize(content.readUInt16LE(26) & 0x3fff, content.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = content.readUInt32LE(21)
      return webpOfSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return webpOfSize(content.readUIntLE(24, 3) + 1, content.readUIntLE(27, 3) + 1)
    default:
      return null
  }
}

function iconOf(content: Buffer): PictureFile | null {
  const isIcon = content.length > 22 && hasAt(content, 0, '\x00\x00\x01\x00') && content.readUInt16LE(4) > 0
  return isIcon ? { ending: 'ico', width: content[6] || 256, height: content[7] || 256 } : null
}
