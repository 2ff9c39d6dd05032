import { codeTokensOf } from './lexer.ts'
import { isInSource, isTest, wireFolder } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

// Names of the public API that nobody would choose for anything else. Names that could be ours as well
// (CardType, DueDate) are left out.
const wireNames = new Set(
  `APILocationID AcctCode AcctHolderID AcctID AcctNo AlternateMerchID AuthSuccess AuthorizedAmt BaseAmt
  BatchLogID BatchTransCount BillIngAdress CancelledConsentID ChargeAmt ChargeDetails ClientRefID
  ConsentCreator ConsentID ConsentMods CreditAmount CreditAmt CustomerRefID ErrCode ErrMsg FunctionOk
  InitParams IsPartialApproval LimitLifeTime MerchID MessageBody MessageType Msg NumPartialAuths
  OfTotalPayment OfTotalPayments OptParam PaymentAmount PaymentAmt PostURL PreConsentAuthTxID REFID
  RPGUID RedirectURL RefID RespMsg SchedID SchedIDs SchedNum ServiceDescrip SessKey TXID TermID ThisUser
  TokenID TotalAmt TransID TransactionIDs TxApproved TxID TxLock TxnCode WType WTYPE WidOptions
  WidgetURL`.split(/\s+/),
)

// Where a wire name is right although the file is neither a contract nor in wire/.
const allowed: readonly { readonly path: string; readonly reason: string }[] = [
  { path: 'src/transport/session-key.ts', reason: 'reads the session key from the header or the body' },
  { path: 'src/transport/openapi/', reason: 'describes the interface, envelope and header included' },
  { path: 'src/transport/browser/docs.page.ts', reason: 'explains the interface to people' },
  { path: 'src/transport/browser/form-builder', reason: 'shows the call that makes a form' },
  { path: 'src/apps/cli/greeting.ts', reason: 'greets a newcomer with two calls to copy' },
  { path: 'src/transport/soap/', reason: 'the envelope carries the session key as an element of the call' },
]

export function checkWireNames(project: Project): Breach[] {
  return project.files.filter(({ path }) => isInSource(path) && !isAtHome(path)).flatMap(checkFile)
}

function isAtHome(path: string): boolean {
  if (!path.endsWith('.ts') || isTest(path)) return true
  if (path.endsWith('.contract.ts') || path.endsWith('.wire.ts') || path.startsWith(wireFolder)) return true
  return allowed.some((one) => path.startsWith(one.path))
}

function checkFile(file: SourceFile): Breach[] {
  return codeTokensOf(file).flatMap(({ text, line }) => {
    const names = (text.match(/[A-Za-z]\w*/g) ?? []).filter((name) => wireNames.has(name))
    return names.map((name) => ({
      path: file.path,
      line,
      rule: 'wire names',
      message: `says '${name}'; wire names stay in contracts, .wire.ts and wire/: use our word for it`,
    }))
  })
}
