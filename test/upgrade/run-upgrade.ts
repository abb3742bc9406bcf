/**
 * `npm run test:upgrade -- --from <git ref>`: upgrades a data folder of another commit to this
 * build under load, as docs/operations/upgrade.md describes it, and checks that nothing which was
 * answered with 200 is lost or counted twice. Exits with 1 if something is.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { projectRoot } from '#platform/project-root.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { findLosses } from '../drills/accounting.ts'
import { DrillMailServer } from '../drills/mail-server.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { FormerVersion } from './former-version.ts'
import { findLostVotes, suggestIdea, UpgradeLoad } from './upgrade-load.ts'

const loadMs = 5_000
const comesBackMsMax = 20_000
const notBack = 'It is not back'
/** Part of the line that a process logs when it accepts a newer database. */
const worksWithIt = 'this version works with it'
const portNames = ['INGEST', 'INGEST_OPS', 'WORKERS', 'MAILER', 'API', 'API_OPS']
const enginePortNames = ['EMBEDDED_POSTGRES', 'EMBEDDED_NATS', 'EMBEDDED_CLICKHOUSE']

const startedMs = systemClock.monotonicMs()
const say = (sentence: string): void => {
  const seconds = ((systemClock.monotonicMs() - startedMs) / 1000).toFixed(1)
  process.stdout.write(`${seconds.padStart(6)} s  ${sentence}\n`)
}

const command = new Command('test:upgrade')
  .description('Upgrades the product of another commit to this build, under load.')
  .option('--from <ref>', 'the commit to upgrade from', 'HEAD~1')
  .action(async ({ from }: { readonly from: string }) => {
    const findings = await upgradeFrom(from)
    for (const finding of findings) say(`found: ${finding}`)
    say(findings.length === 0 ? 'Nothing was lost or counted twice.' : 'FAILED.')
    process.exitCode = findings.length === 0 ? 0 : 1
  })

await command.parseAsync()

async function upgradeFrom(ref: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'))
  // The user that runs Postgres needs search permission.
  await chmod(folder, 0o711)
  const mail = await DrillMailServer.start()
  let former: FormerVersion | undefined
  try {
    say(`Building ${ref}.`)
    former = await FormerVersion.build(ref, join(folder, 'version'))
    return await upgrade(former, { ref, mail, dataDir: join(folder, 'data') })
  } finally {
    await former?.remove()
    await mail.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function upgrade(
  former: FormerVersion,
  { ref, mail, dataDir }: { ref: string; mail: DrillMailServer; dataDir: string },
): Promise<string[]> {
  const env = { ...(await freePorts()), SMTP_URL: mail.url, MAIL_ALLOW_UNVERIFIED_FROM: 'true' }
  say(`Starting ${ref}.`)
  const demo = await former.start(dataDir, env)
  const { postgresUrl: url, clickhouseUrl } = demo
  const log = createLogger('upgrade', 'silent')
  const pool = () => createPool({ url, applicationName: 'upgrade', connectionsMax: 2 }, log)
  const load = new UpgradeLoad(demo, await suggestIdea(demo))
  const findings: string[] = []
  const phase = async (what: string, work: () => Promise<unknown>) => {
    const fromMs = systemClock.monotonicMs()
    await work()
    say(what)
    for (const line of load.describe(fromMs)) say(`    ${line}`)
  }
  load.start()
  await phase('The former version runs under load.', () => sleep(loadMs))
  await phase('admin upgrade --check', async () => {
    const end = await program('dist/api/cli/main.js', ['upgrade', '--check'], {
      SLUICE_DATA_DIR: dataDir,
    })
    for (const line of end.stdout.trimEnd().split('\n')) say(`    ${line}`)
    if (end.code !== 0) findings.push(`upgrade --check ended with ${end.code}: ${end.stderr}`)
  })
  await phase('The new version migrated beside it.', async () => {
    const end = await program('dist/dev/migrate.js', [], {
      POSTGRES_URL: url,
      CLICKHOUSE_URL: clickhouseUrl,
    })
    if (end.code !== 0) findings.push(`migrate failed: ${end.stderr}${end.stdout}`)
  })
  await phase('A worker process of the former version was killed.', async () => {
    const end = await killAndWatch(former, 'workers/main.js')
    say(`  ${end}`)
    if (end.startsWith(notBack)) findings.push('the killed worker process did not come back')
  })
  await phase('All processes were replaced, one after the other.', async () => {
    await former.replace()
    await former.restartServices()
    await sleep(loadMs)
  })
  await phase('The supervisor and the engines were restarted.', async () => {
    await former.stop()
    await former.start(dataDir, env)
    await sleep(loadMs)
  })
  await load.stop()
  const postgres = pool()
  const clickhouse = createClickHouse(clickhouseUrl, 'upgrade')
  try {
    const stores = { postgres, clickhouse, mail }
    findings.push(...(await findLosses(stores, load.promises)))
    findings.push(...(await findLostVotes(stores, load.voters)))
  } finally {
    await Promise.allSettled([postgres.end(), clickhouse.close()])
  }
  const { eventIds, subjects } = load.promises
  say(`Accepted: ${eventIds.size} events, ${subjects.size} emails, ${load.voters.size} votes.`)
  return findings
}

async function killAndWatch(former: FormerVersion, entry: string): Promise<string> {
  const before = await former.pidOf(entry)
  if (before === undefined) return 'There is no such process.'
  process.kill(before, 'SIGKILL')
  const printedFrom = former.output.length
  const end = await waitUntil(
    'the process',
    async () => {
      const printed = former.output.slice(printedFrom)
      if (printed.includes('newer version of Sluice') && !printed.includes(worksWithIt)) {
        return 'It refuses to start on the newer database, as versions before the recorded expansions do; it comes back as the new version.'
      }
      const pid = await former.pidOf(entry)
      const isBack = pid !== undefined && pid !== before && /is running again/i.test(printed)
      if (!isBack) return undefined
      return printed.includes(worksWithIt)
        ? 'It is back, and says that the database is newer.'
        : 'It is back.'
    },
    comesBackMsMax,
  ).catch(() => undefined)
  return end ?? `${notBack} after ${comesBackMsMax / 1000} s.`
}

function program(path: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return runProgram(process.execPath, [join(projectRoot, path), ...args], env)
}

async function freePorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const name of [...portNames, ...enginePortNames]) {
    ports[`${name}_PORT`] = String(await freePort())
  }
  return ports
}
