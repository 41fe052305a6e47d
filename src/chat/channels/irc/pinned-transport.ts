import NetTransport from "irc-framework/src/transports/net.js"

const plain = (fingerprint: string) => fingerprint.replaceAll(":", "").toLowerCase()

/** A transport that closes unless the server's certificate has this fingerprint; nothing is sent before. */
export function pinnedTransport(fingerprint: string): typeof NetTransport {
  return class extends NetTransport {
    override onSocketFullyConnected(): void {
      const found = this.socket?.getPeerCertificate().fingerprint256 ?? ""
      if (plain(found) === plain(fingerprint)) super.onSocketFullyConnected()
      else {
        const problem = "the fingerprint of the server's certificate is not chat.irc.tls_fingerprint"
        this.last_socket_error = new Error(`${problem}: ${found}`)
        this.socket?.destroy()
      }
    }
  }
}
