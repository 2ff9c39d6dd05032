// Large counts belong to npm run test:full; npm test runs a part of them. tillgate selftest sets a count
// itself.
export function count({
  full,
  usual,
  setting,
}: {
  readonly full: number
  readonly usual: number
  // The variable by which tillgate selftest tells how many.
  readonly setting?: 'TEST_SIMULATIONS' | 'TEST_PROCESSES' | 'TEST_KILLS'
}): number {
  const told = setting === undefined ? undefined : process.env[setting]
  if (told !== undefined && told !== '') return Number(told)
  return process.env['TEST_COUNTS'] === 'full' ? full : usual
}
