// Errors of Node and of the system are told apart by their code: ENOENT, EEXIST, ECONNREFUSED.
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
