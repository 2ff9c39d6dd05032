import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedFiles } from './generated.ts'

const root = join(import.meta.dirname, '..')
for (const file of generatedFiles) {
  await writeFile(join(root, file.path), await file.render())
  console.log(`wrote ${file.path}`)
}
