// Reads the part of pgbench's language that the frozen scripts use, for machines without pgbench.

export type Variables = Map<string, bigint | string>

export type Step =
  | { readonly kind: 'set'; readonly name: string; readonly expression: string }
  | {
      readonly kind: 'sql'
      readonly text: string
      // Each mention of a variable is a parameter of its own, as pgbench does it.
      readonly parameters: readonly string[]
      // Whether the columns of the only row become variables.
      readonly keepsRow: boolean
    }

export function parseScript(source: string): readonly Step[] {
  const lines = source.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line): Step => {
    const set = /^\\set\s+(\w+)\s+(.+)$/.exec(line)
    if (set) return { kind: 'set', name: set[1] ?? '', expression: (set[2] ?? '').trim() }
    const keepsRow = /\\gset\s*$/.test(line)
    const parameters: string[] = []
    const text = line
      .replace(/\\gset\s*$|;\s*$/, '')
      .trim()
      .replace(/(?<!:):([a-z_]\w*)/g, (_, name: string) => `$${parameters.push(name)}`)
    return { kind: 'sql', text, parameters, keepsRow }
  })
}

export function evaluate(expression: string, variables: Variables, random: () => number): bigint {
  const draw = /^random\((.+),(.+)\)$/.exec(expression)
  if (draw) {
    const [from, to] = [draw[1] ?? '', draw[2] ?? ''].map((side) => valueOf(side, variables))
    if (from === undefined || to === undefined) throw new Error(`No range in ${expression}`)
    return from + BigInt(Math.floor(random() * Number(to - from + 1n)))
  }
  const tokens = expression.split(/\s+/)
  return sumOf(tokens, variables)
}

// Products first, from left to right; whole numbers, as pgbench counts.
function sumOf(tokens: readonly string[], variables: Variables): bigint {
  let sum = 0n
  let product = valueOf(tokens[0] ?? '', variables)
  for (let at = 1; at < tokens.length; at += 2) {
    const operand = valueOf(tokens[at + 1] ?? '', variables)
    const operator = tokens[at]
    if (operator === '*') product *= operand
    else if (operator === '/') product /= operand
    else {
      sum += product
      product = operator === '-' ? -operand : operand
    }
  }
  return sum + product
}

function valueOf(token: string, variables: Variables): bigint {
  const name = token.trim()
  return BigInt(name.startsWith(':') ? (variables.get(name.slice(1)) ?? NaN) : name)
}
