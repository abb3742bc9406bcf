/** NATS: reachable, version, JetStream, message size, and the storage of the account. */

import { isAtLeast } from '#platform/installation/server-version.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { bytesText, percentText } from '../../operation/text/format-numbers.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'
import type { Broker } from '../io/broker.ts'

const nats = of('nats')
const versionMin = '2.9.0'
/** Earlier ones can lose acknowledged messages when leaders are killed (docs/scaling.md). */
const versionOfClusters = '2.12.3'
const usedRatioMax = 0.8

export const natsCheck: Check = {
  group: 'nats',
  run: async (ctx) => {
    const found = await ctx.nats()
    if (found.state !== 'answers') {
      return [
        nats.problem(
          'reachable',
          `NATS does not answer: ${found.reason}.`,
          found.state === 'absent'
            ? 'Set NATS_URL.'
            : 'Start it, or correct host, port, user and password in NATS_URL.',
        ),
      ]
    }
    const broker = found.store
    return [
      nats.ok('reachable', `NATS answers in ${found.ms.toFixed(0)} ms.`),
      versionFinding(broker),
      payload(broker),
      jetStream(broker),
    ]
  },
}

export function versionFinding(broker: Pick<Broker, 'version' | 'cluster' | 'jetStream'>): Finding {
  const { version, cluster, jetStream } = broker
  const replicas = Math.max(
    1,
    ...(jetStream?.streams ?? []).map(({ config }) => config.num_replicas),
  )
  const isCluster = cluster !== undefined || replicas > 1
  if (!isAtLeast(version, versionMin)) {
    const found = `NATS ${version} is older than ${versionMin}.`
    return nats.problem('version', found, `Upgrade nats-server to ${versionOfClusters} or later.`)
  }
  if (isCluster && !isAtLeast(version, versionOfClusters)) {
    return nats.warning(
      'version',
      `NATS ${version} runs as a cluster; before ${versionOfClusters} it can lose acknowledged messages when leaders are killed.`,
      `Upgrade nats-server to ${versionOfClusters} or later, one node after the other.`,
    )
  }
  return nats.ok('version', `NATS ${version}, ${isCluster ? 'a cluster' : 'one node'}.`)
}

function payload({ messageBytesMax }: Broker): Finding {
  const needed = bytesText(busMessageBytesMax)
  if (messageBytesMax >= busMessageBytesMax) {
    return nats.ok('max_payload', `Messages may have ${bytesText(messageBytesMax)}.`)
  }
  return nats.problem(
    'max_payload',
    `Messages may have ${bytesText(messageBytesMax)}, and Sluice needs ${needed}.`,
    `Set max_payload to ${busMessageBytesMax} in the configuration of the server, and reload it.`,
  )
}

function jetStream({ jetStream, jetStreamError }: Broker): Finding {
  if (jetStream === undefined) {
    return nats.problem(
      'jetstream',
      `JetStream cannot be used: ${jetStreamError}.`,
      'Enable JetStream in the configuration of the server and for the account of NATS_URL.',
    )
  }
  const { storageBytes, storageBytesMax } = jetStream
  if (storageBytesMax <= 0) {
    return nats.ok(
      'storage',
      `JetStream uses ${bytesText(storageBytes)}; the account has no limit.`,
    )
  }
  const ratio = storageBytes / storageBytesMax
  const text = `JetStream uses ${bytesText(storageBytes)} of ${bytesText(storageBytesMax)} of the account (${percentText(ratio)}).`
  if (ratio < usedRatioMax) return nats.ok('storage', text)
  return nats.problem(
    'storage',
    text,
    'Raise max_storage of the account, or find out why the workers do not commit.',
  )
}
