import { renderSVG } from 'uqr'

// The address as a drawing that phones read, for counters and invoices. It still reads with a seventh of it
// lost, and has the quiet margin that readers look for.
export function linkQr(address: string): string {
  return renderSVG(address, { ecc: 'M', border: 4 })
}
