/**
 * Finds write-ahead logs of dead ingest processes. There must be none once everything is committed
 * and settled.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { FaultStack } from './fault-stack.ts'
import { ingestNames } from './plan-faults.ts'

const Owner = z.object({ pid: z.number() })

export async function findLeftLogs(stack: FaultStack): Promise<string[]> {
  const logs = join(stack.engines.dataDir, 'ingest-log')
  const [installation = ''] = await readdir(logs)
  const base = join(logs, installation)
  const living = new Set(ingestNames.map((name) => stack.pidOf(name)))
  const left: string[] = []
  for (const name of await readdir(base)) {
    if (name === 'installation.json') continue
    const owner = await readFile(join(base, name, 'owner.json'), 'utf8').then(
      (text) => Owner.parse(JSON.parse(text)).pid,
      () => undefined,
    )
    // A log that was taken over still has the owner file of the dead process.
    if (name.includes('@') || owner === undefined || !living.has(owner)) left.push(name)
  }
  return left.length === 0 ? [] : [`logs of dead processes: ${left.join(', ')}`]
}
