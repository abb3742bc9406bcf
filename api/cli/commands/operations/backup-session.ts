/** The dependencies of `backup`: it may run while Postgres or ClickHouse is empty. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createClickHouse } from '#platform/clickhouse.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import {
  objectStoreNames,
  objectStorePlace,
  openObjectStore,
} from '#platform/objects/open-object-store.ts'
import { projectRoot } from '#platform/project-root.ts'
import type { BackupContext } from '../../../backup/backup-context.ts'
import type { BareRun } from '../../command.ts'
import { findProduct } from '../../find-product.ts'
import { readOrUsageError } from '../../read-or-usage-error.ts'
import { UsageError } from '../../usage-error.ts'

export async function withBackupContext<T>(
  { env, say }: BareRun,
  work: (ctx: BackupContext) => Promise<T>,
): Promise<T> {
  const { postgresUrl, clickhouseUrl, natsUrl } = await findProduct(env)
  if (clickhouseUrl === undefined) {
    throw new UsageError('This needs ClickHouse as well: set CLICKHOUSE_URL beside POSTGRES_URL.')
  }
  const storeEnv = readOrUsageError(env, objectStoreNames)
  const attachments = {
    objects: await openObjectStore(storeEnv),
    isInBackup: objectStorePlace(storeEnv).kind === 'folder',
  }
  const clickhouse = createClickHouse(clickhouseUrl, 'sluice-backup')
  const never = new AbortController().signal
  try {
    return await work({
      postgresUrl,
      clickhouseUrl,
      clickhouse,
      natsUrl,
      attachments,
      clock: systemClock,
      sleep: (ms) => pause(ms, never),
      log: createLogger('backup', 'silent'),
      version: await readVersion(),
      say: (line) => say(`${line}\n`),
    })
  } finally {
    await clickhouse.close()
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(projectRoot, 'package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
