import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

const grammar = 'Compare the Query with the grammar and the letters in docs/query-language.md.'

// The query language. Columns count from 1, in the Query as it is left after blanks at its ends are removed.
export const searchErrors = {
  query_unreadable: {
    code: 6801,
    severity: 'LOW',
    text: 'The Query cannot be read at column {column}: expected {expected}, found {found}',
    cause: 'A parenthesis, operator, quote or value is missing or stands in the wrong place.',
    remedy: grammar,
    sample: { column: 5, expected: "')'", found: 'the end' },
  },
  query_too_complex: {
    code: 6802,
    severity: 'LOW',
    text: 'The Query has more than {limit} {what}',
    cause: 'A Query has at most 4,096 characters, 64 terms and 16 parentheses open at once.',
    remedy: 'Ask in several calls.',
    sample: { limit: 64, what: 'terms' },
  },
  query_meaningless: {
    code: 6803,
    severity: 'LOW',
    text: 'The Query makes no sense at column {column}: {problem}',
    cause: 'The letter does not exist in this query, or cannot be compared in this way or with this value.',
    remedy: grammar,
    sample: { column: 4, problem: 'letter A (merchant record) takes a whole number of at most 15 digits' },
  },
  query_mixes_charts: {
    code: 6804,
    severity: 'LOW',
    text: 'The Query mixes the two charts of letters: {first} belongs to the first, {second} to the second',
    cause: 'The specification has two charts, and this Query has letters or values of both.',
    remedy: grammar,
    sample: { first: 'G', second: 'H' },
  },
  query_too_slow: {
    code: 6805,
    severity: 'MEDIUM',
    text: 'The search took longer than {seconds} s and was given up: add {term}',
    cause: 'Too many records had to be looked at, or the database is overloaded. None was returned.',
    remedy: 'Join the term that is named with &&; put an expression that has || in parentheses first.',
    sample: {
      seconds: 4,
      term: "the term (C>='2026-12-16'), or one of letter D, F, H, M, N, P, Q or W with =",
    },
  },
} as const satisfies Record<string, ErrorEntry>
