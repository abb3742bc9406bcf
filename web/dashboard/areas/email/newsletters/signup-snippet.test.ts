import { expect, test } from 'vitest'
import { signupSnippets } from './signup-snippet.ts'

test('every snippet that calls the API names the newsletter', () => {
  const [curl, form, server] = signupSnippets('https://mail.test', 'weekly')
  expect(curl?.code).toContain('https://mail.test/api/v1/contacts')
  expect(curl?.code).toContain('"newsletter":"weekly"')
  expect(server?.code).toContain('newsletter: "weekly"')
  expect(form?.code).not.toContain('mail.test')
})

test('no snippet contains a key', () => {
  for (const { code } of signupSnippets('https://mail.test', 'weekly')) {
    expect(code).not.toMatch(/emk_/)
  }
})

test('a slug cannot leave the quotes of the shell', () => {
  const [curl] = signupSnippets('https://mail.test', "a'; rm -rf ~; '")
  expect(curl?.code).toContain("a'\\''; rm -rf ~; '\\''")
})
