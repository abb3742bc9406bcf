/**
 * Programs that sign the token of a user, with nothing but what comes with each language. The
 * secret is read from the environment, as it must be in production; `user` is theirs.
 */
// cspell:ignore rstrip strtr getenv Getenv

export interface TokenSnippet {
  readonly name: string
  readonly code: string
}

const node = `import { createHmac } from 'node:crypto'

/** The key is the text of the secret. Do not decode it. */
const secret = process.env.PORTAL_SECRET
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function portalToken(user) {
  const header = base64url({ alg: 'HS256', typ: 'JWT' })
  const claims = base64url({
    sub: String(user.id),
    email: user.email,
    name: user.name,
    exp: Math.floor(Date.now() / 1000) + 3600,
  })
  const signature = createHmac('sha256', secret).update(\`\${header}.\${claims}\`).digest('base64url')
  return \`\${header}.\${claims}.\${signature}\`
}
`

const python = `import base64, hashlib, hmac, json, os, time

# The key is the text of the secret. Do not decode it.
secret = os.environ["PORTAL_SECRET"].encode()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def portal_token(user) -> str:
    header = base64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    claims = base64url(json.dumps({
        "sub": str(user["id"]),
        "email": user["email"],
        "name": user["name"],
        "exp": int(time.time()) + 3600,
    }).encode())
    text = f"{header}.{claims}"
    signature = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64url(signature)}"
`

const ruby = `require 'base64'
require 'json'
require 'openssl'

# The key is the text of the secret. Do not decode it.
SECRET = ENV.fetch('PORTAL_SECRET')

def base64url(bytes)
  Base64.urlsafe_encode64(bytes, padding: false)
end

def portal_token(user)
  header = base64url({ alg: 'HS256', typ: 'JWT' }.to_json)
  claims = base64url({
    sub: user[:id].to_s,
    email: user[:email],
    name: user[:name],
    exp: Time.now.to_i + 3600
  }.to_json)
  text = "#{header}.#{claims}"
  "#{text}.#{base64url(OpenSSL::HMAC.digest('SHA256', SECRET, text))}"
end
`

const php = `<?php
function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

function portalToken(array $user): string
{
    // The key is the text of the secret. Do not decode it.
    $secret = getenv('PORTAL_SECRET');
    $header = base64url(json_encode(['alg' => 'HS256', 'typ' => 'JWT']));
    $claims = base64url(json_encode([
        'sub' => (string) $user['id'],
        'email' => $user['email'],
        'name' => $user['name'],
        'exp' => time() + 3600,
    ]));
    $text = "$header.$claims";
    return $text . '.' . base64url(hash_hmac('sha256', $text, $secret, true));
}
`

const go = `package portal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"time"
)

// The key is the text of the secret. Do not decode it.
var secret = []byte(os.Getenv("PORTAL_SECRET"))

func Token(id, email, name string) (string, error) {
	claims, err := json.Marshal(map[string]any{
		"sub":   id,
		"email": email,
		"name":  name,
		"exp":   time.Now().Add(time.Hour).Unix(),
	})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(\`{"alg":"HS256","typ":"JWT"}\`)) + "." + encode(claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil)), nil
}
`

export const tokenSnippets: readonly TokenSnippet[] = [
  { name: 'Node', code: node },
  { name: 'Python', code: python },
  { name: 'Ruby', code: ruby },
  { name: 'PHP', code: php },
  { name: 'Go', code: go },
]
