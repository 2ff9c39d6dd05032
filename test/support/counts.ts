// Large counts belong to npm run test:full; npm test runs a tenth or less of them.
export function count({ full, usual }: { readonly full: number; readonly usual: number }): number {
  return process.env['TEST_COUNTS'] === 'full' ? full : usual
}
