import type { Logger } from '#platform/logger.ts'
import type { LogNotice } from './log-keeper.ts'

/** What a person should know of the log's life, and how much they should mind. */
export function logNotice(log: Logger, notice: LogNotice): void {
  switch (notice.kind) {
    case 'adopted':
      log.info(
        { code: 'log_adopted', ...notice },
        'The log of a process that is gone was taken over.',
      )
      return
    case 'settled':
      log.info({ code: 'log_settled', ...notice }, 'All of a process that is gone is committed.')
      return
    case 'dropped':
      log.error(
        { code: 'log_dropped', ...notice },
        'The log is full: frames left it that no worker has committed. Only the broker has them.',
      )
      return
    case 'forgotten':
      log.error(
        { code: 'frames_forgotten', ...notice },
        'The broker has lost frames that it had acknowledged; they are sent again from the log.',
      )
      return
    case 'damaged':
      if (notice.frames === 0) {
        log.warn(
          { code: 'log_cut', ...notice },
          'A write to the log was cut off when its process died.',
        )
      } else {
        log.error(
          { code: 'log_damaged', ...notice },
          'The log lacks frames that were written to it.',
        )
      }
  }
}
