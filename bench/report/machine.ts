import { arch, cpus, release, totalmem, type } from 'node:os'

/** Describes the machine of a measurement without its name. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  readonly node: string
}

export function describeMachine(): Machine {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    // The local suffix of a kernel version may reveal where it was built, so it is removed.
    system: `${type()} ${release().split('-')[0]} ${arch()}`,
    node: process.version,
  }
}
