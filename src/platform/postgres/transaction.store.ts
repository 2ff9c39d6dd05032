import { statement } from '#platform/postgres/statement.ts'

export const begin = statement('begin', [], {}, 'begin')
export const commit = statement('commit', [], {}, 'commit')
export const rollback = statement('rollback', [], {}, 'rollback')
