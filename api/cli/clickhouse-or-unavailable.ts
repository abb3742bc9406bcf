import { CodedError } from '#schemas/error-codes.ts'
import type { Session } from './session.ts'
import { UsageError } from './usage-error.ts'

/** Without ClickHouse, names of tags are not checked, and warnings that need it are left out. */
export function clickhouseOrUnavailable(session: Session): Session['clickhouse'] {
  return {
    select: async (sql, parameters) => {
      try {
        return await session.clickhouse.select(sql, parameters)
      } catch (cause) {
        throw cause instanceof UsageError ? new CodedError('unavailable', { cause }) : cause
      }
    },
  }
}
