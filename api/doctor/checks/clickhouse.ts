/** ClickHouse: reachable, version, writable, space on its disks. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { clickhouseVersionMin, isAtLeast } from '#platform/installation/server-version.ts'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { bytesText, percentText } from '../../operation/text/format-numbers.ts'
import { clickhouseRows } from '../clickhouse-rows.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const clickhouse = of('clickhouse')
/** That of docker-compose.yml. */
const versionTested = '26.3'
const freeRatioLow = 0.15

export const clickhouseCheck: Check = {
  group: 'clickhouse',
  run: async (ctx) => {
    const found = await ctx.clickhouse()
    if (found.state !== 'answers') {
      return [
        clickhouse.problem(
          'reachable',
          `ClickHouse does not answer: ${found.reason}.`,
          found.state === 'absent'
            ? 'Set CLICKHOUSE_URL.'
            : 'Start it, or correct host, port, user, password and database in CLICKHOUSE_URL.',
        ),
      ]
    }
    const { store: client } = found
    const [version, writable, disks] = await Promise.all([
      versionOf(client),
      writableFinding(client),
      diskFindings(client),
    ])
    const answers = `ClickHouse answers in ${found.ms.toFixed(0)} ms.`
    return [clickhouse.ok('reachable', answers), version, writable, ...disks]
  },
}

async function versionOf(client: ClickHouseClient): Promise<Finding> {
  const [row] = await clickhouseRows<{ version: string }>(client, 'select version() as version')
  return versionFinding(row?.version ?? '0')
}

export function versionFinding(version: string): Finding {
  if (isAtLeast(version, versionTested)) return clickhouse.ok('version', `ClickHouse ${version}.`)
  const advice = `Upgrade ClickHouse to ${versionTested} or later.`
  if (!isAtLeast(version, clickhouseVersionMin)) {
    const rule = `the migrations need ${clickhouseVersionMin} or later`
    return clickhouse.problem('version', `ClickHouse ${version} is too old: ${rule}.`, advice)
  }
  return clickhouse.warning(
    'version',
    `ClickHouse ${version} is older than ${versionTested}, the oldest version that is tested.`,
    advice,
  )
}

async function writableFinding(client: ClickHouseClient): Promise<Finding> {
  const [row] = await clickhouseRows<{ value: string }>(
    client,
    `select value from system.settings where name = 'readonly'`,
  )
  // 2 allows changes of settings, and still no inserts.
  if ((row?.value ?? '0') === '0') return clickhouse.ok('writable', 'It accepts writes.')
  return clickhouse.problem(
    'writable',
    'The user of CLICKHOUSE_URL is read-only: the workers cannot insert.',
    'Set CLICKHOUSE_URL to a user with the setting readonly=0.',
  )
}

interface Disk {
  readonly name: string
  readonly free: number | string
  readonly total: number | string
}

async function diskFindings(client: ClickHouseClient): Promise<Finding[]> {
  const rows = await clickhouseRows<Disk>(
    client,
    'select name, free_space as free, total_space as total from system.disks limit 20',
  ).catch(() => undefined)
  if (rows === undefined) {
    return [clickhouse.skipped('disks', 'This user may not read system.disks.')]
  }
  return rows.map(diskFinding)
}

export function diskFinding({ name, free, total }: Disk): Finding {
  const [freeBytes, bytes] = [Number(free), Number(total)]
  // Object storage reports no size, or the largest number.
  if (!(bytes > 0) || bytes > 2 ** 60) {
    return clickhouse.ok(`disk_${name}`, `The disk ${name} has no limit.`)
  }
  const text = `The disk ${name} has ${bytesText(freeBytes)} free of ${bytesText(bytes)} (${percentText(freeBytes / bytes)}).`
  const advice = 'Enlarge the disk, or lower the retention of the projects.'
  if (freeBytes / bytes < faultLimits.diskFreeRatio)
    return clickhouse.problem(`disk_${name}`, text, advice)
  if (freeBytes / bytes < freeRatioLow) return clickhouse.warning(`disk_${name}`, text, advice)
  return clickhouse.ok(`disk_${name}`, text)
}
