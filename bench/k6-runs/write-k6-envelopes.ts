/** Updates bench/k6/envelopes.json after a change of the canonical workload. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import { k6EnvelopesJson } from './k6-envelopes.ts'

writeFileSync(join(projectRoot, 'bench/k6/envelopes.json'), k6EnvelopesJson())
