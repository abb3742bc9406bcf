import { existsSync } from 'node:fs'
import type { Launch } from './process-plan.ts'

const setpriv = '/usr/bin/setpriv'

/**
 * Native programs cannot watch the supervisor's channel. On Linux, the kernel signals them when the
 * supervisor ends; elsewhere the next start on the data folder ends them (stale-processes.ts).
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
