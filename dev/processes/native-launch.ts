import { existsSync } from 'node:fs'
import type { Launch } from './managed-process.ts'

const setpriv = '/usr/bin/setpriv'

/**
 * A program that is not Node cannot watch a channel to us. On Linux the kernel signals it when we
 * die; elsewhere the next start on the data folder ends it (stale-processes.ts).
 */
export function nativeLaunch(launch: Omit<Launch, 'channel'>, onOurDeath: 'INT' | 'TERM'): Launch {
  if (process.platform !== 'linux' || !existsSync(setpriv)) return { ...launch, channel: false }
  return {
    ...launch,
    file: setpriv,
    args: ['--pdeathsig', onOurDeath, '--', launch.file, ...launch.args],
    channel: false,
  }
}
