/**
 * Preloaded into processes that are profiled (profile-processes.ts). SIGWINCH starts a CPU profile
 * in the main thread and in all worker threads; a second one stops it and writes the files. Only
 * the main thread receives signals, so it forwards them.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('dir') ?? '.'
const samplingUs = 500
const channel = new BroadcastChannel('sluice-profile')
channel.unref()
let session: Session | undefined

function toggle(): void {
  if (session === undefined) begin()
  else end(session)
}

function begin(): void {
  session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: samplingUs })
  session.post('Profiler.start')
}

function end(running: Session): void {
  session = undefined
  running.post('Profiler.stop', (error, result) => {
    running.disconnect()
    if (error !== null) return
    const file = join(folder, `${process.pid}.${threadId}.cpuprofile`)
    // Renamed when complete, so that no reader sees an incomplete profile.
    writeFileSync(`${folder}/.${process.pid}.${threadId}.tmp`, JSON.stringify(result.profile))
    renameSync(`${folder}/.${process.pid}.${threadId}.tmp`, file)
  })
}

channel.onmessage = toggle
if (isMainThread) {
  process.on('SIGWINCH', () => {
    channel.postMessage('toggle')
    toggle()
  })
}
