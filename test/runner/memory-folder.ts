/**
 * A folder in memory for the files of tests. Tests start engines with empty data folders hundreds
 * of times, and creating and deleting their files takes more of a disk than the tests themselves.
 */
import { readFileSync, statfsSync } from 'node:fs'

const folder = '/dev/shm'
/** A whole run has up to 1 GiB there at once, and the engines and browsers need the rest. */
const bytesMin = 6 * 1024 ** 3

export interface MemoryState {
  /** `/proc/mounts` */
  readonly mounts: string
  /** `/proc/meminfo` */
  readonly memory: string
  /** That can be written to the folder. */
  readonly bytesFree: number
}

/** Undefined where there is no such folder, or too little memory for it. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const isGood = isSuitable({
      mounts: readFileSync('/proc/mounts', 'utf8'),
      memory: readFileSync('/proc/meminfo', 'utf8'),
      bytesFree: bavail * bsize,
    })
    return isGood ? folder : undefined
  } catch {
    return undefined
  }
}

/** Tests run programs that they have written, which a container may forbid there. */
export function isSuitable({ mounts, memory, bytesFree }: MemoryState): boolean {
  const mount = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, path]) => path === folder)
  const [, , type, options = ''] = mount ?? []
  const available = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(memory)?.[1] ?? 0) * 1024
  const mayRun = !options.split(',').some((option) => option === 'noexec' || option === 'ro')
  return type === 'tmpfs' && mayRun && Math.min(bytesFree, available) >= bytesMin
}
