import type { TSchema } from 'typebox'
import type { ContractFacts } from '#capabilities/wire/contract.ts'

// Names that programs of this API family send, that no contract has, and that differ by one letter from a
// member which some contract does have.
const familyNames = ['Address3', 'County', 'CustRefID']

// Every name of the interface, in requests and in answers: none of them is taken for a slip.
export function knownNames(
  contracts: readonly Pick<ContractFacts, 'request' | 'result'>[],
): ReadonlySet<string> {
  const names = new Set(familyNames)
  for (const { request, result } of contracts) for (const schema of [request, result]) addNames(schema, names)
  return names
}

type Outer = {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly 'x-aliases'?: readonly string[]
}

function addNames(schema: TSchema, names: Set<string>): void {
  const { properties = {}, items, anyOf = [], 'x-aliases': aliases = [] }: Outer = schema
  for (const alias of aliases) names.add(alias)
  for (const name of Object.keys(properties)) names.add(name)
  const inner = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  for (const one of inner) addNames(one, names)
}
