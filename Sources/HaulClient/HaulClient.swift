// Re-exported, since a background manager is a `DownloadManager`: a program needs no other import.
@_exported public import HaulCore
@_exported public import HaulManager
