/** AUTH (RFC 4954) by PLAIN, or by LOGIN if the server offers nothing else. */
import type { Reply } from './reply-reader.ts'

export async function logIn(
  { user, password }: { user: string; password: string },
  extensions: ReadonlySet<string>,
  command: (line: string) => Promise<Reply>,
): Promise<Reply> {
  if (extensions.has('AUTH PLAIN') || !extensions.has('AUTH LOGIN')) {
    return command(`AUTH PLAIN ${encode(`\0${user}\0${password}`)}`)
  }
  const forUser = await command('AUTH LOGIN')
  if (forUser.code !== 334) return forUser
  const forPassword = await command(encode(user))
  if (forPassword.code !== 334) return forPassword
  return command(encode(password))
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
