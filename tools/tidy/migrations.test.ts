import { checkMigrations } from './migrations.ts'
import { testRule } from './rule-cases.ts'

const why = '-- Accounts come first. Locks nothing.\n'

testRule(checkMigrations, [
  {
    sentence: 'migrations in order that say why are fine',
    files: {
      'db/migrations/0001_accounts.sql': why,
      'db/migrations/0002_more_accounts.sql': why,
      'db/schema.sql': '',
    },
  },
  {
    sentence: 'a gap is a breach',
    files: { 'db/migrations/0001_accounts.sql': why, 'db/migrations/0003_tasks.sql': why },
    says: [/0003_tasks.sql.*next free number/],
  },
  {
    sentence: 'a number used twice is a breach',
    files: { 'db/migrations/0001_accounts.sql': why, 'db/migrations/0001_tasks.sql': why },
    says: [/0001_tasks.sql.*repeats a number/],
  },
  {
    sentence: 'a migration that does not say why is a breach',
    files: { 'db/migrations/0001_accounts.sql': 'create table accounts ()' },
    says: [/must open with a -- comment/],
  },
  {
    sentence: 'another name is a breach',
    files: { 'db/migrations/accounts.sql': why },
    says: [/is not named NNNN_what_it_does.sql/],
  },
])
