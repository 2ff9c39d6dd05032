export const generatedNote = '<!-- Written by npm run docs from the code. Do not edit. -->'

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableLine(head), tableLine(head.map(() => '---')), ...rows.map(tableLine)].join('\n')
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
