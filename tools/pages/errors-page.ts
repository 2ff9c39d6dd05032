import { sampleErrorText } from '#capabilities/wire/envelope.ts'
import { errorCodes, errorNames } from '#capabilities/wire/error-codes.ts'
import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'
import { declineRemedies, listDeclines } from '#engine/payments/decline-codes.ts'
import { httpStatusOf } from '#transport/rest/http-status.ts'
import { generatedNote, markdownTable } from './markdown.ts'

export function writeErrorsPage(): string {
  const rows = errorNames
    .toSorted((left, right) => errorCodes[left].code - errorCodes[right].code)
    .map((name) => {
      const { code, cause, remedy }: ErrorEntry = errorCodes[name]
      const status = String(httpStatusOf(name, 'family'))
      const strict = String(httpStatusOf(name, 'strict'))
      return [
        String(code),
        status === strict ? status : `${status} (strict: ${strict})`,
        `\`${sampleErrorText(name)}\``,
        cause,
        remedy,
      ]
    })
  return `${generatedNote}

# Error codes

\`ErrCode\` 0 means that the call was carried out, not that anything was approved: a [decline](#declines) is
0 as well, and [reading answers](reading-answers.md) tells the two apart. On every other code \`ErrMsg\` is
\`ERROR:<ErrCode>:<LOW, MEDIUM or HIGH>:<text>\` and \`RespMsg\` is the text alone. Over REST the HTTP
status says whether the request could be served at all: a refusal by an operation is 200. Over SOAP all of
these are results with status 200, except 4290 (429) and 9001 (503).

${markdownTable(['ErrCode', 'HTTP', 'Sample of ErrMsg', 'Cause', 'Remedy'], rows)}

## Declines

The bank said no: \`ErrCode\` is 0, \`TxApproved\` false, and \`TxnCode\` has the reason. Every next try
needs an \`Idempotency-Key\` of its own. What stands nowhere here may be tried another day.

${markdownTable(['TxnCode', 'RespMsg', 'What to do'], declineRows())}
`
}

function declineRows(): readonly string[][] {
  return listDeclines().map(({ code, text, is }) => [`\`${code}\``, text, declineRemedies[is]])
}
