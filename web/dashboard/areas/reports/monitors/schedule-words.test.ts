import { expect, test } from 'vitest'
import { crontabWords, scheduleWords } from './schedule-words.ts'

test.each([
  ['* * * * *', 'Every minute'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['*/7 * * * *', undefined],
  ['0 * * * *', 'Every hour'],
  ['15,45 * * * *', 'Every hour at :15 and :45'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['30 */2 * * *', 'Every 2 hours at :30'],
  ['0 */5 * * *', undefined],
  ['0 3 * * *', 'Every day at 03:00'],
  ['30 7 * * mon', 'Every Monday at 07:30'],
  ['0 9 * * mon-fri', 'Monday to Friday at 09:00'],
  ['0 9,17 * * 1,4', 'Every Monday and Thursday at 09:00 and 17:00'],
  ['0 9 * * 7', 'Every Sunday at 09:00'],
  ['0 0 1 * *', 'On day 1 of the month at 00:00'],
  ['0 0 1 1 *', 'On day 1 of the month in January at 00:00'],
  ['0 0 13 * fri', 'On day 13 of the month or on Friday at 00:00'],
  ['*/10 9-17 * * mon-fri', 'Every 10 minutes from 09:00 to 17:59 on Monday to Friday'],
  ['*/10 9,12 * * *', undefined],
  ['* */2 * * *', undefined],
  ['0 25 * * *', undefined],
  ['@daily', 'Every day at 00:00'],
  ['@hourly', 'Every hour'],
  ['@WEEKLY', 'Every Sunday at 00:00'],
  ['1,2,3,4,5 3 * * *', undefined],
  ['0 3 * *', undefined],
  ['', undefined],
  ['<script> 3 * * *', undefined],
])('the crontab %s is %s', (text, words) => {
  expect(crontabWords(text)).toBe(words)
})

test.each([
  [null, 'No schedule'],
  [{ type: 'interval', value: 1, unit: 'hour' }, 'Every hour'],
  [{ type: 'interval', value: 1_500, unit: 'minute' }, 'Every 1,500 minutes'],
  [{ type: 'crontab', value: '1-59/7 2 3 4 5' }, 'Crontab 1-59/7 2 3 4 5'],
] as const)('the schedule %j is %s', (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words)
})
