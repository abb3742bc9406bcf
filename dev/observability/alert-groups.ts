import type { AlertGroup } from './alert.ts'
import { emailAlerts } from './email-alerts.ts'
import { eventAlerts } from './event-alerts.ts'
import { processAlerts } from './process-alerts.ts'

export const alertGroups: readonly AlertGroup[] = [eventAlerts, emailAlerts, processAlerts]
