import { writeConfigurationPage } from './pages/configuration-page.ts'
import { writeErrorsPage } from './pages/errors-page.ts'
import { writeEventsPage } from './pages/events-page.ts'
import { writeOperationsPage } from './pages/operations-page.ts'
import type { GeneratedFile } from './tidy/generated.ts'

// Every page that is written from the code. npm run docs writes them, and a test fails while one of them is
// stale.
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'docs/operations.md', render: async () => writeOperationsPage() },
  { path: 'docs/errors.md', render: async () => writeErrorsPage() },
  { path: 'docs/events.md', render: async () => writeEventsPage() },
  { path: 'docs/configuration.md', render: async () => writeConfigurationPage() },
]
