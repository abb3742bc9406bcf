import type { Logger } from '#platform/logger.ts'
import type { WalNotification } from './wal-keeper.ts'

/** Logs an event of a write-ahead log at the level that fits its consequences. */
export function logWalNotification(log: Logger, notification: WalNotification): void {
  switch (notification.kind) {
    case 'adopted':
      log.info(
        { code: 'log_adopted', ...notification },
        'The log of a process that is gone was taken over.',
      )
      return
    case 'settled':
      log.info(
        { code: 'log_settled', ...notification },
        'All of a process that is gone is committed.',
      )
      return
    case 'dropped':
      log.error(
        { code: 'log_dropped', ...notification },
        'The log is full: frames left it that no worker has committed. Only the broker has them.',
      )
      return
    case 'forgotten':
      log.error(
        { code: 'frames_forgotten', ...notification },
        'The broker has lost frames that it had acknowledged; they are sent again from the log.',
      )
      return
    case 'damaged':
      if (notification.frames === 0) {
        log.warn(
          { code: 'log_cut', ...notification },
          'A write to the log was cut off when its process died.',
        )
      } else {
        log.error(
          { code: 'log_damaged', ...notification },
          'The log lacks frames that were written to it.',
        )
      }
  }
}

/** Logs that a dead process's log was left alone because it is not this installation's. */
export function logLeftAlone(
  log: Logger,
  left: {
    readonly path: string
    readonly instanceId: string
    readonly installationId: string | undefined
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
  if (owner === undefined) {
    log.warn(
      fields,
      `The log ${path} names no installation, and installation ${ownInstallationId} does not know the process that wrote it: it is left alone. If it is this installation's, write "installation":"${ownInstallationId}" into its owner.json and restart ingest.`,
    )
    return
  }
  log.error(
    fields,
    `The log ${path} belongs to installation ${owner}, and this process to installation ${ownInstallationId}: it is left alone.`,
  )
}
