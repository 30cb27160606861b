const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// Whether Godwit sent it. headers: a Fetch Headers; body: the bytes (await request.arrayBuffer()).
export async function verify(secret, headers, body) {
  const of = (name) => headers.get(`webhook-${name}`) ?? "";
  const [id, at, given] = [of("id"), of("timestamp"), of("signature")];
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - at) > 300) return false; // an old one
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const raw = bytes(secret.replace("whsec_", ""));
  const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["verify"]);
  const signed = await new Blob([`${id}.${at}.`, body]).arrayBuffer();
  for (const [, mac] of given.matchAll(/(?:^| )v1,([\w+/]{43}=)(?= |$)/g)) // two while rotated
    if (await crypto.subtle.verify("HMAC", key, bytes(mac), signed)) return true;
  return false;
}
