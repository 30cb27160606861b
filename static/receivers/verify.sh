#!/bin/sh
# SECRET=whsec_… sh verify.sh ID TIMESTAMP SIGNATURE < body    says yes (status 0) or no (1)
# For a look by hand: whoever may list the processes of this machine sees the key go by.
case $2 in '' | *[!0-9]* | 0* | ???????????*) echo no; exit 1 ;; esac
age=$(($(date +%s) - $2))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || { echo no; exit 1; }
key=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
mac=$({ printf '%s.%s.' "$1" "$2"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
case " $3 " in *" v1,$mac "*) echo yes ;; *) echo no; exit 1 ;; esac
