/** Marks a stream with its installation and the layout of its partitions. */
import type { StreamConfig } from '@nats-io/jetstream'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { ForeignInstallationError } from '../installation/installation.ts'

const metadataKey = 'sluice-installation'
const inDescription = /installation ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/

export interface DescribedStream extends IngestLayout {
  readonly installationId: string
}

/**
 * The description of a stream. All versions store the layout in the first sentence; earlier
 * versions did not store the installation.
 */
export function describeStream({ partitions, streams, installationId }: DescribedStream): string {
  return `Frames of Sluice: ${partitions} partitions in ${streams} streams. Of installation ${installationId}.`
}

export function installationMetadata(installationId: string): Record<string, string> {
  return { [metadataKey]: installationId }
}

/** Undefined for streams of versions that did not mark them. */
export function installationOfStream(
  config: Pick<StreamConfig, 'description' | 'metadata'>,
): string | undefined {
  return config.metadata?.[metadataKey] ?? inDescription.exec(config.description ?? '')?.[1]
}

/** nats-server supports stream metadata since 2.10. */
export function canHoldMetadata(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 10)
}

/** The part of a stream's configuration that marks it. */
export function marksOf(
  stream: DescribedStream & { readonly canHoldMetadata: boolean },
): Pick<StreamConfig, 'description'> | Pick<StreamConfig, 'description' | 'metadata'> {
  const description = describeStream(stream)
  // Servers before 2.10 have no metadata, so the description states it as well.
  if (!stream.canHoldMetadata) return { description }
  return { description, metadata: installationMetadata(stream.installationId) }
}

/** Throws if the stream is marked with another installation. */
export function expectOwn(
  config: Pick<StreamConfig, 'name' | 'description' | 'metadata'>,
  { installationId, server }: { readonly installationId: string; readonly server: string },
): void {
  const owner = installationOfStream(config)
  if (owner === undefined || owner === installationId) return
  throw new ForeignInstallationError(
    `stream ${config.name} on NATS server ${server} belongs to installation ${owner}, and this process to installation ${installationId}: give each installation its own NATS server, or its own account on this server (NATS_URL)`,
  )
}
