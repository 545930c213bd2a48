"""The configuration of each web server, as text to be filled in."""

# What every nginx here begins with; its servers follow.
NGINX_BEGIN = """
{user}
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    default_type application/octet-stream;
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
"""

NGINX = NGINX_BEGIN + """
    server {{
        listen 127.0.0.1:{http};
        listen 127.0.0.1:{https} ssl{http2};
        listen 127.0.0.2:{https} ssl{http2};
        ssl_certificate {chain};
        ssl_certificate_key {key};
        root {root};
    }}
}}
"""

# Over http it wants a password, over https a client's certificate.
NGINX_GUARDED = NGINX_BEGIN + """
    server {{
        listen 127.0.0.1:{http};
        root {root};
        auth_basic interop;
        auth_basic_user_file {folder}/users;
    }}
    server {{
        listen 127.0.0.1:{https} ssl;
        root {root};
        ssl_certificate {chain};
        ssl_certificate_key {key};
        ssl_client_certificate {client};
        ssl_verify_client on;
    }}
}}
"""

APACHE = """
ServerName localhost
ServerRoot {folder}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex posixsem
ErrorLog {folder}/error.log
LogLevel warn
{user}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
Listen 127.0.0.1:{http}
Listen 127.0.0.1:{https}
StartServers 1
ThreadsPerChild 32
DocumentRoot {root}
<Directory {root}>
    Require all granted
</Directory>
SSLSessionCache none
<VirtualHost 127.0.0.1:{https}>
    SSLEngine on
    SSLCertificateFile {chain}
    SSLCertificateKeyFile {key}
</VirtualHost>
"""

LIGHTTPD = """
server.document-root = "{root}"
server.bind = "127.0.0.1"
server.port = {http}
server.errorlog = "{folder}/error.log"
server.upload-dirs = ("{folder}")
mimetype.assign = ("" => "application/octet-stream")
"""

LIGHTTPD_TLS = """
server.modules += ("mod_openssl")
$SERVER["socket"] == "127.0.0.1:{https}" {{
    ssl.engine = "enable"
    ssl.pemfile = "{both}"
}}
"""

# Of those who ask, it wants a digest (RFC 7616), never the password itself.
APACHE_DIGEST = APACHE + """
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authn_file_module /usr/lib/apache2/modules/mod_authn_file.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
LoadModule auth_digest_module /usr/lib/apache2/modules/mod_auth_digest.so
<Location />
    AuthType Digest
    AuthName interop
    AuthDigestProvider file
    AuthUserFile {folder}/users
    Require valid-user
</Location>
"""

# HTTP/2 stays on, as it is in the field; HTTP/3 is off, because it would listen on UDP.
CADDY = """
{{
    admin off
    auto_https off
    servers {{
        protocols h1 h2
    }}
}}
http://127.0.0.1:{http}, http://localhost:{http} {{
    bind 127.0.0.1
    root * {root}
    file_server
}}
https://127.0.0.1:{https}, https://localhost:{https} {{
    bind 127.0.0.1
    tls {chain} {key}
    root * {root}
    file_server
}}
"""
