import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

// What proxies have added is read from its end. Some write a port behind the address, which changes with
// every connection, and brackets around one of IPv6; whoever counted by that would count nobody twice. What
// stands before something that is no address was told by nobody whom we know, so the proxy that wrote it
// counts as the caller.
export function plainForwardedFor(told: string): string {
  const addresses = told.split(',').map(plainAddress)
  return addresses.slice(addresses.lastIndexOf(null) + 1).join(', ')
}

// In place, before anything reads it: the framework finds the caller in the headers.
export function tidyForwardedFor(headers: IncomingHttpHeaders): void {
  const told = headers['x-forwarded-for']
  if (told === undefined) return
  const plain = plainForwardedFor(String(told))
  if (plain === '') delete headers['x-forwarded-for']
  else headers['x-forwarded-for'] = plain
}

function plainAddress(written: string): string | null {
  const text = written.trim()
  const [, bracketed, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const address = bracketed ?? beforePort ?? text
  return isIP(address) > 0 ? address : null
}
