/** Passwords of the embedded engines: made once per data folder, so that no other user of the machine gets in. */
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Secrets = z.object({
  postgres: z.string().min(1),
  nats: z.string().min(1),
  clickhouse: z.string().min(1),
})
export type Secrets = z.infer<typeof Secrets>

export async function readSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json')
  try {
    return Secrets.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secrets = { postgres: newSecret(), nats: newSecret(), clickhouse: newSecret() }
  await writeFile(`${path}.new`, JSON.stringify(secrets), { mode: 0o600 })
  await rename(`${path}.new`, path)
  return secrets
}

function newSecret(): string {
  return randomBytes(18).toString('hex')
}
