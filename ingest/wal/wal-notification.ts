import type { Logger } from '#platform/logger.ts'
import type { WalNotification } from './wal-keeper.ts'

/** Logs an event of a write-ahead log at the level that fits its consequences. */
export function logWalNotification(log: Logger, notification: WalNotification): void {
  switch (notification.kind) {
    case 'adopted':
      log.info(
        { code: 'log_adopted', ...notification },
        'Adopted the write-ahead log of a dead process.',
      )
      return
    case 'settled':
      log.info(
        { code: 'log_settled', ...notification },
        'All frames of a dead process are committed; its leases are settled.',
      )
      return
    case 'dropped':
      log.error(
        { code: 'log_dropped', ...notification },
        'The write-ahead log is full: uncommitted frames were dropped from it, and only the broker has them.',
      )
      return
    case 'forgotten':
      log.error(
        { code: 'frames_forgotten', ...notification },
        'The broker lost frames that it had acknowledged; resending them from the write-ahead log.',
      )
      return
    case 'damaged':
      if (notification.frames === 0) {
        log.warn(
          { code: 'log_cut', ...notification },
          'The write-ahead log of a dead process ends in an incomplete write, which is skipped.',
        )
      } else {
        log.error(
          { code: 'log_damaged', ...notification },
          'The write-ahead log misses frames that were written to it.',
        )
      }
  }
}

/** Logs that a dead process's log was left alone, and why. */
export function logLeftAlone(
  log: Logger,
  left: {
    readonly path: string
    readonly instanceId: string
    readonly installationId: string | undefined
    readonly isOfFormerLayout: boolean
  },
  ownInstallationId: string,
): void {
  const { path, instanceId, installationId: owner } = left
  const fields = {
    code: 'log_left_alone',
    path,
    instanceId,
    owner,
    installation: ownInstallationId,
  }
  if (left.isOfFormerLayout) {
    log.error(
      fields,
      `The write-ahead log ${path} holds frames for partitions that no longer exist: its process was silent for more than a day when the number of partitions was changed. It is not adopted.`,
    )
    return
  }
  if (owner === undefined) {
    log.warn(
      fields,
      `The write-ahead log ${path} names no installation, and installation ${ownInstallationId} does not know the process that wrote it, so it is not adopted. If it is this installation's, write "installation":"${ownInstallationId}" into its owner.json and restart ingest.`,
    )
    return
  }
  log.error(
    fields,
    `The write-ahead log ${path} belongs to installation ${owner} and this process to installation ${ownInstallationId}, so it is not adopted.`,
  )
}
