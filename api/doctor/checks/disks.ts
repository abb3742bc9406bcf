/** Space of the folders that this machine holds: the data folder and the ingest log. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { bytesText, percentText } from '../../operation/text/format-numbers.ts'
import type { Check, DiskSpace, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const disks = of('disks')
const freeBytesMin = 1024 ** 3
const whenFull = {
  data: 'the embedded engines and the write-ahead log refuse writes',
  ingest_log: 'ingest accepts events only while NATS acknowledges them',
} as const

export const disksCheck: Check = {
  group: 'disks',
  run: async (ctx) => {
    const { settings } = ctx
    const logBytesMax = settings.get('INGEST_LOG_BYTES_MAX') ?? 0
    const dataDir = resolve(settings.get('SLUICE_DATA_DIR') ?? '.sluice')
    const logDir = settings.get('INGEST_LOG_DIR')
    const folders: Folder[] = [
      {
        name: 'data',
        variable: 'SLUICE_DATA_DIR',
        folder: dataDir,
        grows: logDir ? 0 : logBytesMax,
      },
      ...(logDir
        ? [
            {
              name: 'ingest_log' as const,
              variable: 'INGEST_LOG_DIR',
              folder: logDir,
              grows: logBytesMax,
            },
          ]
        : []),
    ]
    return Promise.all(folders.map((folder) => check(ctx, folder)))
  },
}

interface Folder {
  readonly name: keyof typeof whenFull
  readonly variable: string
  readonly folder: string
  /** The write-ahead log of one process may grow to this size. */
  readonly grows: number
}

async function check(ctx: DoctorContext, { name, variable, folder, grows }: Folder) {
  if (!existsSync(folder) && !existsSync(dirname(folder))) {
    return disks.skipped(name, `${folder} (${variable}) is not on this machine.`)
  }
  try {
    const there = existsSync(folder) ? folder : dirname(folder)
    return spaceFinding(name, { folder, grows, space: await ctx.diskSpace(there) })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    const advice = `Correct ${variable}, or the rights of the folder.`
    return disks.problem(name, `The disk of ${folder} cannot be read: ${code}.`, advice)
  }
}

export function spaceFinding(
  name: keyof typeof whenFull,
  { folder, grows, space }: { folder: string; grows: number; space: DiskSpace },
): Finding {
  const { freeBytes, sizeBytes } = space
  const ratio = sizeBytes > 0 ? freeBytes / sizeBytes : 0
  const text = `The disk of ${folder} has ${bytesText(freeBytes)} free of ${bytesText(sizeBytes)} (${percentText(ratio)})`
  if (ratio < faultLimits.diskFreeRatio || freeBytes < freeBytesMin) {
    const advice = `Free space or enlarge it. When it is full, ${whenFull[name]}.`
    return disks.problem(name, `${text}.`, advice)
  }
  if (freeBytes < grows) {
    return disks.warning(
      name,
      `${text}, and the write-ahead log may need ${bytesText(grows)}.`,
      'Enlarge it, or lower INGEST_LOG_BYTES_MAX.',
    )
  }
  return disks.ok(name, `${text}.`)
}
