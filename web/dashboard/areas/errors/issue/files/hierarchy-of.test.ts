import { expect, test } from 'vitest'
import { hierarchyOf } from './hierarchy-of.ts'

test('a hierarchy as a mobile SDK sends it', () => {
  const text = JSON.stringify({
    rendering_system: 'android_view_system',
    windows: [
      {
        type: 'com.android.internal.policy.DecorView',
        width: 1080.4,
        height: 2176,
        visibility: 'visible',
        children: [{ type: 'Button', identifier: 'pay', visibility: 'gone' }],
      },
    ],
  })
  expect(hierarchyOf(text)).toEqual({
    system: 'android_view_system',
    isCut: false,
    windows: [
      {
        name: 'com.android.internal.policy.DecorView',
        facts: '1080 × 2176',
        children: [{ name: 'Button', facts: 'pay · hidden', children: [] }],
      },
    ],
  })
})

test.each(['', 'null', '[]', '{}', '{"windows":{}}', '{"windows":[', '"windows"'])(
  'text that is no hierarchy: %s',
  (text) => {
    expect(hierarchyOf(text)).toBeUndefined()
  },
)

test('a hierarchy that is too deep or too large is cut', () => {
  const deep = `${'{"children":['.repeat(500)}${']}'.repeat(500)}`
  expect(hierarchyOf(`{"windows":[${deep}]}`)?.isCut).toBe(true)
  const wide = JSON.stringify({ windows: Array.from({ length: 5_000 }, () => ({})) })
  const found = hierarchyOf(wide)
  expect(found?.isCut).toBe(true)
  expect(found?.windows).toHaveLength(2_000)
})
