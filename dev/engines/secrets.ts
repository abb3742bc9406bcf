/**
 * Passwords of the embedded engines and the default SLUICE_SECRET, generated once per data folder.
 * They keep out other users of the machine.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Secrets = z.object({
  postgres: z.string().min(1),
  nats: z.string().min(1),
  clickhouse: z.string().min(1),
  /** SLUICE_SECRET when the environment does not set it. */
  sluice: z.string().min(32),
})
export type Secrets = z.infer<typeof Secrets>

export async function readSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json')
  const before = await readBefore(path)
  const kept = Secrets.safeParse(before)
  if (kept.success) return kept.data
  // A folder of an earlier version lacks newer secrets. Existing ones are kept, because the engines
  // use them.
  const secrets = Secrets.parse({
    postgres: newSecret(),
    nats: newSecret(),
    clickhouse: newSecret(),
    sluice: newSecret(),
    ...before,
  })
  await writeFile(`${path}.new`, JSON.stringify(secrets), { mode: 0o600 })
  await rename(`${path}.new`, path)
  return secrets
}

async function readBefore(path: string): Promise<object> {
  try {
    return z
      .object({})
      .loose()
      .parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function newSecret(): string {
  return randomBytes(18).toString('hex')
}
