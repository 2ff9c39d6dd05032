import { statement } from '#platform/postgres/statement.ts'

export const begin = statement('begin', [], {}, 'begin')
export const commit = statement('commit', [], {}, 'commit')
export const rollback = statement('rollback', [], {}, 'rollback')
export const savepoint = statement('savepoint', [], {}, 'savepoint part')
export const releaseSavepoint = statement('release_savepoint', [], {}, 'release savepoint part')
export const rollbackToSavepoint = statement('rollback_to_savepoint', [], {}, 'rollback to savepoint part')
