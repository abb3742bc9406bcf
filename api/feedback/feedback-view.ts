import { undashed } from '#schemas/ids.ts'
import type { FeedbackItem } from '#schemas/rest/portal/feedback.ts'
import type { StoredFeedback } from './feedback-store.ts'

/**
 * The item of a row. Unknown fields are omitted (portal-feedback-api: `path` and `version` may be
 * absent).
 */
export function feedbackItem(row: StoredFeedback): FeedbackItem {
  const { id, project_id, message, type, status, source, archived } = row
  const { path, version, environment, component, event_id, issue_id } = row
  const { person_name, person_email, enduser_id } = row
  return {
    id,
    project_id,
    message,
    type,
    status,
    source,
    ...(path === null ? {} : { path }),
    ...(version === null ? {} : { version }),
    ...(environment === null ? {} : { environment }),
    ...(component === null ? {} : { component }),
    ...(event_id === null ? {} : { event_id: undashed(event_id) }),
    ...(issue_id === null ? {} : { issue_id }),
    ...(person_name === null ? {} : { person_name }),
    ...(person_email === null ? {} : { person_email }),
    ...(enduser_id === null ? {} : { enduser_id }),
    archived,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
