import { userInfo } from 'node:os'

// Containers may run under an id that has no name.
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
