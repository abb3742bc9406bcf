/**
 * `npm run observability`: writes the documentation of the metrics, the alert rules of Prometheus
 * and the Grafana dashboard.
 *
 *   --runbooks <url>   where your copy of docs/runbooks is published; default: the path
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from '#platform/project-root.ts'
import { generatedFiles } from './generated-files.ts'

const { values } = parseArgs({ options: { runbooks: { type: 'string' } } })

for (const [path, content] of generatedFiles(values.runbooks?.replace(/\/+$/, ''))) {
  const file = join(projectRoot, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  process.stdout.write(`${path}\n`)
}
