import { tellHeight } from './parent-page.ts'

// What stands in a frame of ours is shown whole, however many lines it has. A frame of another house tells
// nobody how high it is; that one has the height of the style, and scrolls.
function fit(frame: HTMLIFrameElement): void {
  const inside = frame.contentDocument?.body
  if (!inside || inside.childElementCount === 0) return
  const borders = frame.offsetHeight - frame.clientHeight
  frame.style.blockSize = `${Math.ceil(inside.getBoundingClientRect().height) + borders}px`
  tellHeight()
}

export function fitFrames(): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>(
    'iframe.receipt, iframe.bank, iframe.mail',
  )) {
    frame.addEventListener('load', () => fit(frame))
    window.addEventListener('resize', () => fit(frame))
    fit(frame)
  }
}
