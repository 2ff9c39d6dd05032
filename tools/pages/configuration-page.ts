import { describeSettings } from '#platform/config.ts'
import { generatedNote, markdownTable } from './markdown.ts'

export function writeConfigurationPage(): string {
  const rows = describeSettings().map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === '' ? '' : `\`${fallback}\``,
    meaning,
  ])
  return `${generatedNote}

# Configuration

Settings come from the environment. An empty value counts as absent. An unknown name that starts with
\`TILLGATE_\` is an error at start, because it is most likely a typing error.

${markdownTable(['Name', 'Default', 'Meaning'], rows)}
`
}
