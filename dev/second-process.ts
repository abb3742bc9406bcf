/**
 * Starts a second process of one service next to a running stack. It shares the stores and the bus,
 * and listens on its own ports.
 */

import { readSecrets } from './engines/secrets.ts'
import { ManagedProcess } from './processes/managed-process.ts'
import { servicePlan } from './service-plan.ts'
import type { Stack } from './stack.ts'
import { localUrl, metricsUrls, type ServiceName, settle } from './stack-settings.ts'

export interface SecondProcess {
  readonly process: ManagedProcess
  readonly url: string
  readonly metricsUrl: string
}

/** @param env the variables with which the stack was started. */
export async function startSecond(
  stack: Stack,
  name: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<SecondProcess> {
  const settings = await settle({ ...env, SLUICE_DATA_DIR: stack.dataDir }, 'free')
  const { sluice: secret } = await readSecrets(stack.dataDir)
  const plan = servicePlan(name, settings, stack.urls, { mailboxDir: undefined, secret })
  const process = new ManagedProcess(plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  await process.start()
  return {
    process,
    url: localUrl(settings.hosts[name], settings.ports[name]),
    metricsUrl: metricsUrls(settings)[name],
  }
}
